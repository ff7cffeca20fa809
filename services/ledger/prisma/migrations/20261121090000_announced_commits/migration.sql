-- When the commit event of a settled payment was published. Those that a crash left out are found and published again.
ALTER TABLE payments ADD COLUMN announced_at timestamptz(3);
UPDATE payments SET announced_at = decided_at WHERE state = 'settled';
CREATE INDEX payments_unannounced ON payments (decided_at) WHERE state = 'settled' AND announced_at IS NULL;
