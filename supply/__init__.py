"""Where dependencies come from: versions, facts, bills of materials. Not part of the package."""
