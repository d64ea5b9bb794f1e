"""What a spec sends at one point in time: a spec and a sample state in, messages out."""
