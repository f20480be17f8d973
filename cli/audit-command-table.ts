import { type Command, InvalidArgumentError } from 'commander';
import { fromMoment, toMoment } from './moment-option.ts';
import { collect, wholeNumber } from './option-values.ts';
import type { Perform, PerformAlone } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadAuditEvents = () => import('./commands/audit-events.ts');
const loadAuditProof = () => import('./commands/audit-proof.ts');
const loadAuditVerifyEntity = () => import('./commands/audit-verify-entity.ts');

const EVENT = 'event id, as `audit events` and receipts show it';

/** Declares `fairlead audit …`. */
export function addAuditCommands(
  program: Command,
  { perform, performAlone }: { readonly perform: Perform; readonly performAlone: PerformAlone },
): void {
  const audit = program.command('audit').description('read the audit ledger, and check what it proves without it');
  addReading(audit, perform);
  addVerifying(audit, perform, performAlone);
}

function addReading(audit: Command, perform: Perform): void {
  audit
    .command('events', { isDefault: true })
    .description('what was recorded, newest first: of your org, or of all for a platform admin')
    .option('--namespace <name>', 'only of this service')
    .option('--entity <id>', 'only about this entity')
    .option('--type <type>', 'only of this type, such as service.deployed')
    .option('--from <time>', 'from this day (UTC) or ISO time on', fromMoment)
    .option('--to <time>', 'up to and with this day (UTC), or before this ISO time', toMoment)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, 200), 20)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action((_options, self) =>
      perform(self, async (context) => (await loadAuditEvents()).auditEvents(context, self.opts())),
    );
  audit
    .command('event')
    .description('one event with all that it says')
    .argument('<event>', EVENT)
    .option('-o, --output <file>', 'write it into a file, for `audit verify --event`')
    .action((event, _options, self) =>
      perform(self, async (context) => (await loadAuditEvents()).auditEvent(context, event, self.opts())),
    );
  audit
    .command('proof')
    .description('the proof of an event, from the night after it on')
    .argument('<event>', EVENT)
    .option('-o, --output <file>', 'write it into a file, for `audit verify`')
    .action((event, _options, self) =>
      perform(self, async (context) => (await loadAuditProof()).auditProof(context, event, self.opts())),
    );
}

function addVerifying(audit: Command, perform: Perform, performAlone: PerformAlone): void {
  audit
    .command('verify-entity')
    .description('have the ledger verify the history of an entity; exits 1 when it is broken')
    .argument('<entity>', 'entity id, such as the name of a service')
    .option('--expected-head <hash>', 'event hash of a receipt: a history without it is not valid')
    .action((entity, _options, self) =>
      perform(self, async (context) => (await loadAuditVerifyEntity()).auditVerifyEntity(context, entity, self.opts())),
    );
  audit
    .command('verify')
    .description('verify a proof against the contract of each chain; the ledger is not asked')
    .argument('<proof>', 'file with the proof, as `audit proof` writes it; - for stdin')
    .requiredOption('--rpc <url>', 'node of a chain (repeat it: one for each chain, or several)', collectUrl)
    .option('--contract <address>', 'address of the anchor contract, as you know it (default: the one of the proof)')
    .option('--event <file>', 'the event itself: shows that the proof is about it')
    .option('--receipt <file>', 'the receipt of the emit: its signature is checked with --key')
    .option('--key <key>', 'public key of the ledger, in base64 or as a verifier key (may be repeated)', collect, [])
    .action((proof, _options, self) =>
      performAlone(self, async (alone) => {
        // Loaded for this alone: no other command waits for it.
        const { verifyProofFile } = await import('./commands/audit.ts');
        return verifyProofFile(alone, proof, self.opts());
      }),
    );
}

function collectUrl(value: string, before: readonly string[] = []): readonly string[] {
  const url = URL.parse(value);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return [...before, value];
  throw new InvalidArgumentError('It must be an http:// or https:// address.');
}
