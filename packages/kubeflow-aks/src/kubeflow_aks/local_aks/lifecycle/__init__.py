"""One local AKS as a whole: started, found again, taken down."""
