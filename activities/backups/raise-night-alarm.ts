import type { Night } from '../../domain/backups/night.ts';
import type { BackupsActivityDeps } from './deps.ts';

/** How the subject of each alarm begins; the runbook of docs/backups.md has a part of that name. */
export const ALARM_SUBJECTS = {
  backups: 'Databases without a backup',
  stale: 'Databases that no night backs up any more',
  verification: 'Backups that could not be restored',
  mirror: 'The off-site copy of the backups is not up to date',
  kept: 'Databases that restores kept could not be dropped',
} as const;

export type AlarmKind = keyof typeof ALARM_SUBJECTS;

/** Lines of an alarm; the records have the others. */
const MOST_LINES = 50;

/** Tells operators and the audit ledger what is wrong after a night; nothing for no lines. Idempotent: one for each night and kind. */
export async function raiseNightAlarm(
  deps: BackupsActivityDeps,
  { kind, night, lines }: { readonly kind: AlarmKind; readonly night: Night; readonly lines: readonly string[] },
): Promise<void> {
  if (lines.length === 0) return;
  const shown = lines.slice(0, MOST_LINES);
  const more = lines.length > shown.length ? [`and ${lines.length - shown.length} more`] : [];
  const id = `backup.${kind}_alarm/${night}`;
  await deps.audit?.record({
    id,
    type: `backup.${kind}_alarm`,
    actor: 'schedule',
    subject: night,
    orgSlug: null,
    data: { problems: lines.length },
    requestId: null,
    address: null,
    time: null,
  });
  const text = [`The night of ${night} (UTC):`, '', ...shown, ...more, '', 'What to do: docs/backups.md, "Runbook"'];
  await deps.raiseAlarm({ id, subject: `${ALARM_SUBJECTS[kind]}: ${night}`, text: text.join('\n') });
}
