"""The privacy curve."""
