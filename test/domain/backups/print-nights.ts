import { addNights, nextNightAt, nightOf, nightsBetween, tierOfNight } from '../../../domain/backups/night.ts';
import { objectKey } from '../../../domain/backups/object-key.ts';
import { DEFAULT_RETENTION, expiredBackups } from '../../../domain/backups/retention.ts';
import { backupRecord } from '../../support/backup-record.ts';

/** Prints every night of two years, a leap day in them, as the process sees it in its time zone, and what retention deletes. */
const HOUR_MS = 3_600_000;
const FIRST = Date.parse('2027-06-01T00:30:00.000Z');
const HOURS = 731 * 24;

const hours: string[] = [];
for (let hour = 0; hour < HOURS; hour += 1) {
  const at = new Date(FIRST + hour * HOUR_MS);
  hours.push(`${nightOf(at)} ${tierOfNight(nightOf(at))} ${nextNightAt(at, 2).toISOString()}`);
}
const nights = Array.from({ length: 731 }, (_, index) => addNights('2027-06-01', index));
const backups = nights.map((night, index) =>
  backupRecord({ id: `bak_${index}`, night, tier: tierOfNight(night), startedAt: new Date(`${night}T02:00:00.000Z`) }),
);
const deleted = nights.map((_, index) =>
  expiredBackups(backups.slice(0, index + 1), DEFAULT_RETENTION)
    .map(({ id }) => id)
    .join(),
);
const keys = backups.map((backup) => objectKey(backup, backup.startedAt));
const between = nightsBetween('2027-10-30', '2028-03-28');
process.stdout.write(
  JSON.stringify({ hours, nights, deleted, keys, between, offset: new Date(FIRST).getTimezoneOffset() }),
);
