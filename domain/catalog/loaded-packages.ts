import { type CodeFiles, readCode } from './read-code.ts';

const MAX_PACKAGES = 300;

/** A name where code loads a module, or where pino does, which takes it as a text. */
const LOADS =
  /(?:\brequire(?:\.resolve)?\(|\bfrom|\bimport\(?|\btarget:)\s{0,20}['"]((?:@[\w.-]{1,100}\/)?[a-z0-9][\w.-]{0,100})(?:\/[\w./-]{0,200})?['"]/g;
/** Types alone are gone when the code runs. */
const TYPES_ALONE = /^[ \t]{0,20}(?:import|export) type [^'"]{0,500}['"][^'"\n]{0,200}['"]/gm;

/** Names of the packages that an app's code loads, as far as it is read, in no order. */
export async function loadedPackages(files: CodeFiles, root: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const text of readCode(files, root)) {
    for (const [, name = ''] of text.replace(TYPES_ALONE, '').matchAll(LOADS)) found.add(name);
  }
  return [...found].slice(0, MAX_PACKAGES);
}
