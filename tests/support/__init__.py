"""What tests share: slow references, random and hostile tables, and ways to run the command."""
