import { lstatSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppSource, MANIFEST, readAppSource } from '../../domain/catalog/app-source.ts';
import { CATALOG_VERSIONS } from '../../domain/catalog/catalog.ts';
import { draftCatalog, writeCatalog } from '../../domain/catalog/draft-catalog.ts';
import { inferCatalog } from '../../domain/catalog/infer-catalog.ts';
import { parseCatalog } from '../../domain/catalog/parse-catalog.ts';
import { parsePlatformConfig } from '../../domain/catalog/parse-platform-config.ts';
import { readCode } from '../../domain/catalog/read-code.ts';
import { EXAMPLE_FILES, readVariablesFile } from '../../domain/catalog/variables-file.ts';
import { conventionViolations, requireConventions } from '../../domain/deploys/conventions.ts';
import { FairleadError } from '../../domain/errors.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { exitCode } from '../exit-codes.ts';
import type { Alone } from '../perform.ts';
import { checkName, nameFromFolder, readSource } from '../project.ts';
import { printable } from '../terminal/style.ts';
import { uploadedTree } from '../uploaded-tree.ts';

const CATALOG = 'catalog-info.yaml';
const PLATFORM_CONFIG = '.platform.yaml';
const CODE_LIMIT_BYTES = 64 * 1024;

/** `fairlead init [folder]`: writes a catalog file after a look at the source; none is replaced. */
export async function init(
  { output, cwd }: Alone,
  given: string,
  { name: givenName, schemaUrl }: { readonly name?: string; readonly schemaUrl: string },
): Promise<number> {
  const folder = folderOf(given, cwd);
  const tree = await uploadedTree(folder);
  const path = join(folder, CATALOG);
  if (tree.read(CATALOG) !== null) throw alreadyThere(path, given);
  const name = await nameFromFolder(folder, givenName);
  const source = withExample(await readAppSource(tree), folder);
  const manifest = source.texts[MANIFEST] ?? null;
  const { catalog, warnings } = inferCatalog({ manifest, files: source.files });
  const files = { list: tree.list, readText: (file: string) => tree.readText(file, CODE_LIMIT_BYTES) };
  const code: string[] = [];
  for await (const text of readCode(files, await tree.list(''))) code.push(text);
  const draft = draftCatalog({ name, framework: catalog.framework }, source, { code, packages: source.loaded ?? [] });
  const text = writeCatalog(draft, { version: CATALOG_VERSIONS.at(-1) ?? '', schemaUrl });
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw alreadyThere(path, given);
    throw usageFailure(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
  output.document({ file: path, ...draft });
  if (output.quiet) output.print(path);
  else {
    output.print(`Wrote ${path}`);
    output.print();
    for (const line of text.trimEnd().split('\n')) output.print(`  ${line}`);
  }
  // That there was no catalog is what this has mended.
  for (const warning of warnings.filter((line) => !line.startsWith('there is no catalog'))) {
    output.note(`! ${printable(warning)}`);
  }
  return exitCode('ok');
}

/** `fairlead validate [folder]`: checks the catalog file as a deploy would; exit `usage` with line and column of each problem. */
export async function validate({ output, cwd }: Alone, given: string): Promise<number> {
  const folder = folderOf(given, cwd);
  const tree = await uploadedTree(folder);
  const catalog = tree.read(CATALOG);
  const platform = tree.read(PLATFORM_CONFIG);
  if (catalog === null && platform === null) {
    throw new CliFailure('CATALOG_MISSING', `There is no ${CATALOG} in ${folder}.`, {
      exit: 'notFound',
      remedy: `A deploy works without. To write one: \`fairlead init${typedFolder(given)}\``,
    });
  }
  const files = [
    ...(catalog === null ? [] : [{ file: CATALOG, warnings: checked(() => readCatalog(catalog, output)) }]),
    ...(platform === null ? [] : [{ file: PLATFORM_CONFIG, warnings: checked(() => readPlatformConfig(platform)) }]),
  ];
  output.document({ valid: true, files });
  for (const { file, warnings } of files) {
    output.print(output.quiet ? file : `${file} is valid`);
    for (const warning of warnings) output.print(output.paint('warn', `! ${printable(warning)}`));
  }
  return exitCode('ok');
}

/** An example of a settings file is no part of an upload, unless git tracks it. Only names are read of it. */
function withExample(source: AppSource, folder: string): AppSource {
  const name = EXAMPLE_FILES.find((file) => lstatSync(join(folder, file), { throwIfNoEntry: false })?.isFile());
  if (name === undefined || source.variables?.[name] !== undefined) return source;
  const example = readVariablesFile(readFileSync(join(folder, name), 'utf8'));
  return { ...source, variables: { ...source.variables, [name]: example } };
}

function readCatalog(text: string, output: Alone['output']): readonly string[] {
  const { catalog, warnings } = parseCatalog(text, { enforceMinimumVersion: false });
  if (catalog.name !== null) checkName(catalog.name);
  const violations = conventionViolations(catalog, text);
  try {
    requireConventions(violations);
  } catch (error) {
    for (const warning of warnings) output.note(`! ${printable(warning)}`);
    throw error;
  }
  return [...warnings, ...violations.map(({ message }) => message)];
}

function readPlatformConfig(text: string): readonly string[] {
  parsePlatformConfig(text);
  return [];
}

/** @throws CliFailure with exit `usage` for a file that a deploy would refuse */
function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const { code, message, details } = error;
    throw new CliFailure(code, message, { exit: 'usage', details });
  }
}

function folderOf(given: string, cwd: string): string {
  const source = readSource(given, cwd);
  if (source.kind === 'folder') return source.folder;
  throw usageFailure('Only a folder can be looked at.', 'Clone the repository first.');
}

function alreadyThere(path: string, given: string): CliFailure {
  return usageFailure(
    `There is a ${path} already.`,
    `To check it: \`fairlead validate${typedFolder(given)}\`. To start anew, remove it first.`,
  );
}

/** The folder as it was typed, for a command that is proposed; nothing for the one of the terminal. */
function typedFolder(given: string): string {
  return given === '.' ? '' : ` ${/[^\w./@+-]/.test(given) ? JSON.stringify(given) : given}`;
}
