import { isSensitiveName } from '../logs/sensitive-names.ts';

/** What a file of variables, such as `.env`, names; its values are not kept. */
export interface VariablesFile {
  readonly names: readonly string[];
  /** Those of them that look like secrets, by their names or by their values. */
  readonly secrets: readonly string[];
}

/** Variables for settings, which a repository may hold. */
export const SETTINGS_FILE = '.env';
/** Names of the file that tells which variables an app takes. */
export const EXAMPLE_FILES = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  '.env-example',
  '.example.env',
  '.sample.env',
  'env.example',
  'env.sample',
  'example.env',
  'sample.env',
] as const;

const MOST_NAMES = 60;
/** What tools put into the pages of a site, which everybody reads. */
const PUBLIC_NAME = /^(?:NEXT_PUBLIC|VITE|PUBLIC|REACT_APP|VUE_APP|GATSBY|NUXT_PUBLIC|EXPO_PUBLIC)_/;
/** A password in an address, a private key, or the form of a key of a well-known vendor. */
const SECRET_VALUE =
  /:\/\/[^\s/:@]{0,200}:[^\s/@]{1,200}@|-----BEGIN |\b(?:sk|rk|pk|whsec)_(?:live|test)_\w{8}|\bsk-[\w-]{20}|\bAKIA[A-Z0-9]{12}|\bgh[pousr]_\w{20}|\bglpat-[\w-]{20}|\bnpm_\w{36}|\bxox[abp]-|\bSG\.[\w-]{20}|\beyJ[\w-]{10,2000}\.[\w-]{10}/;
/** A key of any kind: what it opens is known to its owner alone. */
const KEY_NAME = /(?:^|_)KEY$/i;

/** Reads the names out of a file in the notation of dotenv. */
export function readVariablesFile(text: string): VariablesFile {
  const found = text.split('\n').flatMap((line) => {
    const [, name, value = ''] =
      /^\s*(?:export\s+)?([A-Za-z_]\w{0,99})\s*=[ \t]*(.*)$/.exec(line.slice(0, 4_000)) ?? [];
    return name === undefined ? [] : [{ name, value: value.trim() }];
  });
  const distinct = (names: readonly string[]) => [...new Set(names)].slice(0, MOST_NAMES);
  return {
    names: distinct(found.map(({ name }) => name)),
    secrets: distinct(found.filter(({ name, value }) => isSecretVariable(name, value)).map(({ name }) => name)),
  };
}

/** True for a variable that looks like a secret, by its name or by its value; not for one without a value. */
export function isSecretVariable(name: string, value: string): boolean {
  return !PUBLIC_NAME.test(name) && !/^(?:""|'')?$/.test(value) && (isSensitiveName(name) || SECRET_VALUE.test(value));
}

/** In doubt true, for who may encrypt one too many: by the form of a secret as above, and for every key, such as `APP_KEY`. */
export function mayBeSecret(name: string, value: string): boolean {
  return isSecretVariable(name, value) || (value !== '' && KEY_NAME.test(name) && !PUBLIC_NAME.test(name));
}

/** The file that tells which variables an app takes, and their names; null where there is none. */
export function exampleVariables(
  variables: Readonly<Record<string, VariablesFile>>,
): { readonly file: string; readonly names: readonly string[] } | null {
  const file = EXAMPLE_FILES.find((name) => variables[name] !== undefined);
  const names = file === undefined ? [] : (variables[file]?.names ?? []);
  return file === undefined || names.length === 0 ? null : { file, names };
}
