"""Stand-in for Azure: the azure-native provider on its own protocol, and the Azure behind it."""
