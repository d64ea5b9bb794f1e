"""State files: read with every problem in its place, written anew, and compared with what a spec reads."""
