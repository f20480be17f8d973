import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import solc from 'solc';
import { COMPILER_SETTINGS, type ContractArtifact } from './contract-artifact.ts';

/** A process of its own that compiles a contract: `compile-contract.ts <source.sol> <artifact.json>`. */

interface CompilerOutput {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<string, Record<string, { abi: ContractArtifact['abi']; evm: { bytecode: { object: string } } }>>
  >;
}

const [sourcePath, artifactPath] = process.argv.slice(2);
if (!sourcePath || !artifactPath) throw new Error('usage: compile-contract.ts <source.sol> <artifact.json>');
const file = basename(sourcePath);
const input = {
  language: 'Solidity',
  sources: { [file]: { content: await readFile(sourcePath, 'utf8') } },
  settings: { ...COMPILER_SETTINGS, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
};
const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)));
// A warning of the compiler is a question about the contract that nobody answered.
if (output.errors !== undefined) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'));
const contract = output.contracts?.[file]?.[basename(file, '.sol')];
if (contract === undefined) throw new Error(`${file} has no contract of its own name`);
const artifact: ContractArtifact = {
  abi: contract.abi,
  bytecode: `0x${contract.evm.bytecode.object}`,
  compiler: solc.version(),
};
const partial = `${artifactPath}.${process.pid}.partial`;
await writeFile(partial, JSON.stringify(artifact));
await rename(partial, artifactPath);
