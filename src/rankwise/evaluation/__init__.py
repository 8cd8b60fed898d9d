"""From lists to numbers with their conventions; the one room that averages over lists."""
