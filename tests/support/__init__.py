"""What tests share: slow references, random and hostile tables, and ways to run the command."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_data"
