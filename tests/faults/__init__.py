"""What happens when the disk, the machine or the system lets us down."""
