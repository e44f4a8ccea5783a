"""What is drawn in a part of a screen."""
