import { type Command, InvalidArgumentError } from 'commander';
import type { Output } from './output.ts';

/** Carries out what needs neither an API nor a credential. */
export type PerformAlone = (command: Command, action: (output: Output) => Promise<number>) => Promise<void>;

/** Declares `fairlead audit …`. */
export function addAuditCommands(program: Command, performAlone: PerformAlone): void {
  const audit = program.command('audit').description('check what the audit ledger proves, without the ledger');
  audit
    .command('verify')
    .description('verify a proof against the contract of each chain; the ledger is not asked')
    .argument('<proof>', 'file with the proof, as GET /v1/proofs/:eventId answers it; - for stdin')
    .requiredOption('--rpc <url>', 'node of a chain (repeat it: one for each chain, or several)', collectUrl)
    .option('--contract <address>', 'address of the anchor contract, as you know it (default: the one of the proof)')
    .option('--event <file>', 'the event itself: shows that the proof is about it')
    .option('--receipt <file>', 'the receipt of the emit: its signature is checked with --key')
    .option('--key <key>', 'public key of the ledger, in base64 or as a verifier key (may be repeated)', collect, [])
    .action((proof, _options, self) =>
      performAlone(self, async (output) => {
        // Loaded for this alone: no other command waits for it.
        const { verifyProofFile } = await import('./commands/audit.ts');
        return verifyProofFile(output, proof, self.opts());
      }),
    );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function collectUrl(value: string, before: readonly string[] = []): readonly string[] {
  const url = URL.parse(value);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return [...before, value];
  throw new InvalidArgumentError('It must be an http:// or https:// address.');
}
