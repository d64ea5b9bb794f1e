"""What a spec does, in words: who speaks and when, what each message has, how it grows, what a state must say."""
