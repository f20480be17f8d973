import { type Command, InvalidArgumentError } from 'commander';
import { isDay } from '../domain/audit-ledger/days.ts';
import { fromMoment, toMoment } from './moment-option.ts';
import { collect, wholeNumber } from './option-values.ts';
import type { Perform, PerformAlone } from './perform.ts';

// Loaded when a command of theirs runs: no other command waits for them.
const loadAuditEvents = () => import('./commands/audit-events.ts');
const loadAuditProof = () => import('./commands/audit-proof.ts');
const loadAuditVerifyEntity = () => import('./commands/audit-verify-entity.ts');

const EVENT = 'event id, as shown by `audit events` and in receipts';

/** Declares `fairlead audit …`. */
export function addAuditCommands(
  program: Command,
  { perform, performAlone }: { readonly perform: Perform; readonly performAlone: PerformAlone },
): void {
  const audit = program.command('audit').description('read the audit ledger and verify its proofs independently');
  addReading(audit, perform);
  addVerifying(audit, perform, performAlone);
}

function addReading(audit: Command, perform: Perform): void {
  audit
    .command('events', { isDefault: true })
    .description('list the events of your org (platform admins: of all orgs), newest first')
    .option('--namespace <name>', 'only this service')
    .option('--entity <id>', 'only this entity')
    .option('--type <type>', 'only this type, such as service.deployed')
    .option('--from <time>', 'start: a day (UTC) or an ISO time', fromMoment)
    .option('--to <time>', 'end: a day (UTC, inclusive) or an ISO time (exclusive)', toMoment)
    .option('-n, --limit <count>', 'how many', wholeNumber(1, 200), 20)
    .option('--cursor <cursor>', 'continue after the previous page')
    .action((_options, self) =>
      perform(self, async (context) => (await loadAuditEvents()).auditEvents(context, self.opts())),
    );
  audit
    .command('event')
    .description('show an event with its content')
    .argument('<event>', EVENT)
    .option('-o, --output <file>', 'write the event to a file, for `audit verify --event`')
    .action((event, _options, self) =>
      perform(self, async (context) => (await loadAuditEvents()).auditEvent(context, event, self.opts())),
    );
  audit
    .command('proof')
    .description('get the proof of an event; it exists from the night after the event')
    .argument('<event>', EVENT)
    .option('-o, --output <file>', 'write the proof to a file, for `audit verify`')
    .action((event, _options, self) =>
      perform(self, async (context) => (await loadAuditProof()).auditProof(context, event, self.opts())),
    );
}

function addVerifying(audit: Command, perform: Perform, performAlone: PerformAlone): void {
  audit
    .command('verify-entity')
    .description('let the ledger verify the history of an entity; exit code 1 when it is broken')
    .argument('<entity>', 'entity id, such as the name of a service')
    .option('--expected-head <hash>', 'event hash from a receipt; a history without it is invalid')
    .action((entity, _options, self) =>
      perform(self, async (context) => (await loadAuditVerifyEntity()).auditVerifyEntity(context, entity, self.opts())),
    );
  addVerifyAlone(audit, performAlone);
  addEvidence(audit, performAlone);
}

const RPC = ['--rpc <url>', 'address of a chain node (repeat it for each chain)'] as const;
const CONTRACT = [
  '--contract <address>',
  'address of the anchor contract, from an independent source; without it nothing is proven',
] as const;
const KEY = [
  '--key <key>',
  'public key of the ledger, in base64 or as a verifier key, which checkpoints need (may be repeated)',
] as const;
const EVIDENCE = ['--evidence <file>', 'write evidence to a file, for `audit verify-evidence`'] as const;

/** What needs neither the ledger's word nor an account. Loaded when it runs: no other command waits for it. */
function addVerifyAlone(audit: Command, performAlone: PerformAlone): void {
  audit
    .command('verify')
    .description(
      'verify a proof against the contract on each chain, without the ledger; exit code 7 when it is undecided',
    )
    .argument('<proof>', 'file with the proof, as `audit proof` writes it; - for stdin')
    .requiredOption(...RPC, collectUrl)
    .option(...CONTRACT)
    .option('--event <file>', 'file with the event, to check that the proof belongs to it')
    .option('--receipt <file>', 'file with the receipt; its signature is verified with --key')
    .option(...KEY, collect, [])
    .action((proof, _options, self) =>
      performAlone(self, async (alone) => {
        const { verifyProofFile } = await import('./commands/audit.ts');
        return verifyProofFile(alone, proof, self.opts());
      }),
    );
  audit
    .command('verify-day')
    .description('verify the public leaf list of a day against the contracts, and that an event is in it')
    .argument('<day>', 'the day (UTC), such as 2026-11-20', day)
    .requiredOption(...RPC, collectUrl)
    .option(...CONTRACT)
    .option('--ledger <url>', 'address of the ledger, to get the list from', webAddress)
    .option('--leaves <file>', 'file with a list that was kept, instead (may be repeated)', collect, [])
    .option('--receipt <file>', 'file with a receipt: exit code 1 when its event was left out')
    .option('--checkpoint <file>', 'file with a checkpoint: the same for the last event that it counts')
    .option(...KEY, collect, [])
    .option(...EVIDENCE)
    .action((day, _options, self) =>
      performAlone(self, async (alone) => {
        const { auditVerifyDay } = await import('./commands/audit-day.ts');
        return auditVerifyDay(alone, day, self.opts());
      }),
    );
}

function addEvidence(audit: Command, performAlone: PerformAlone): void {
  audit
    .command('compare')
    .description('compare two receipts or checkpoints; exit code 1 when they contradict each other')
    .argument('<first>', 'file with a receipt or checkpoint')
    .argument('<second>', 'file with another one')
    .requiredOption(...KEY, collect)
    .option(...EVIDENCE)
    .action((first, second, _options, self) =>
      performAlone(self, async (alone) => {
        const { auditCompare } = await import('./commands/audit-evidence.ts');
        return auditCompare(alone, [first, second], self.opts());
      }),
    );
  audit
    .command('verify-evidence')
    .description('check evidence of an event left out, or of a contradiction, without the ledger')
    .argument('<file>', 'file with the evidence')
    .requiredOption(...KEY, collect)
    .option(...RPC, collectUrl, [])
    .option(...CONTRACT)
    .action((file, _options, self) =>
      performAlone(self, async (alone) => {
        const { auditVerifyEvidence } = await import('./commands/audit-evidence.ts');
        return auditVerifyEvidence(alone, file, self.opts());
      }),
    );
}

function collectUrl(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, webAddress(value)];
}

function webAddress(value: string): string {
  const url = URL.parse(value);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return value;
  throw new InvalidArgumentError('It must be an http:// or https:// address.');
}

function day(value: string): string {
  if (isDay(value)) return value;
  throw new InvalidArgumentError('It must be a day (UTC), such as 2026-11-20.');
}
