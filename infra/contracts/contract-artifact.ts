import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, type Env, projectRoot } from '../dev/project.ts';
import type { Reporter } from '../dev/terminal.ts';
import { runProgram } from '../dev/tools/run-program.ts';

export interface ContractArtifact {
  readonly abi: readonly Readonly<Record<string, unknown>>[];
  /** Creation code without constructor arguments. */
  readonly bytecode: `0x${string}`;
  readonly compiler: string;
}

/**
 * What the compiler is told. The address of the contract depends on every byte of its code, and so on these: no
 * metadata in the bytecode, and an EVM that every chain of today understands.
 */
export const COMPILER_SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'paris',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const;

/** The compiled `AnchorRegistry.sol`, from the cache or compiled now in a child, so that its memory is not kept. */
export async function anchorRegistryArtifact(env: Env, report: Reporter): Promise<ContractArtifact> {
  const source = join(import.meta.dirname, 'AnchorRegistry.sol');
  const folder = join(cacheFolder(env), 'contracts');
  const path = join(folder, `AnchorRegistry-${await hashInputs(source)}.json`);
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true });
    const script = join(import.meta.dirname, 'compile-contract.ts');
    await report.work('Anchor contract', '3 s', () => runProgram(process.execPath, [script, source, path]));
  }
  return JSON.parse(await readFile(path, 'utf8'));
}

async function hashInputs(source: string): Promise<string> {
  const hash = createHash('sha256');
  hash.update(await readFile(join(projectRoot, 'node_modules/solc/package.json')));
  hash.update(JSON.stringify(COMPILER_SETTINGS)).update(await readFile(source));
  return hash.digest('hex').slice(0, 32);
}
