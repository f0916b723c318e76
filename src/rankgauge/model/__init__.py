"""What users hold in their hands (runs, judgments, scores, curves), and the rules behind it."""
