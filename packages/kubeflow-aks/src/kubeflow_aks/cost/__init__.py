"""What a stack is expected to cost a month, evictions included, from what the program exports."""
