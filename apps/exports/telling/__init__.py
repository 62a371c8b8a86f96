"""What histories say, in the forms that other programs read."""
