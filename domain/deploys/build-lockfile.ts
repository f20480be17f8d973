import { FairleadError } from '../errors.ts';

/** The lockfile that the install of a build wrote, because its source has none. */
export interface BuildLockfile {
  /** Such as `package-lock.json`. */
  readonly name: string;
  readonly text: string;
}

/** A larger one is not kept: no rule reads such a one either. */
export const LOCKFILE_LIMIT_BYTES = 8 * 1024 ** 2;

const ENCODER = new TextEncoder();

/** @throws PAYLOAD_TOO_LARGE for one that would not be read again */
export function requireReadable({ name, text }: BuildLockfile): void {
  if (ENCODER.encode(text).length <= LOCKFILE_LIMIT_BYTES) return;
  throw new FairleadError('PAYLOAD_TOO_LARGE', `${name} has more than ${LOCKFILE_LIMIT_BYTES} bytes`);
}

/** Its author commits it within days of the build; each is some hundred kilobytes. */
export const LOCKFILE_KEPT_DAYS = 90;

/** Comments, then the beginning that bun writes: its lockfile is JSON with comments and trailing commas. */
const BUN = /^(?:\s|\/\/[^\n]*\n)*\{\s*"lockfileVersion":\s*\d/;
const YARN_1 = /^# yarn lockfile v1\r?$/m;
/** Of yarn 2 and later. */
const YARN_BERRY = /^__metadata:\r?\n[ \t]+version: \d/m;
const PNPM = /^lockfileVersion: ['"]?\d/m;

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['package-lock.json', isNpmLockfile],
  ['yarn.lock', (text) => YARN_1.test(text) || YARN_BERRY.test(text)],
  ['pnpm-lock.yaml', (text) => PNPM.test(text)],
  ['bun.lock', (text) => BUN.test(text)],
]);

/** Whether a file is what its name says. Scripts of the source run in the install, and can put anything in its place. */
export function isLockfile({ name, text }: BuildLockfile): boolean {
  return FORMATS.get(name)?.(text) ?? false;
}

function isNpmLockfile(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && 'lockfileVersion' in parsed;
  } catch {
    return false;
  }
}
