import { z } from 'zod';
import { isCredential } from '../domain/monitors/check-headers.ts';
import { usageFailure } from './cli-failure.ts';

export type HeaderBody = { readonly name: string } & ({ readonly value: string } | { readonly secret: string });

export interface HeaderOptions {
  /** `Name: value` */
  readonly header?: readonly string[];
  /** `Name=secret` */
  readonly headerSecret?: readonly string[];
}

/**
 * Request headers of a check as the API takes them; undefined where none was given. No text that may hold a credential is repeated.
 * @throws CliFailure with exit `usage`, also for a credential that was typed: other users of the machine read command lines
 */
export function headersOfOptions({ header = [], headerSecret = [] }: HeaderOptions): readonly HeaderBody[] | undefined {
  if (header.length + headerSecret.length === 0) return undefined;
  return [...header.map(plainHeader), ...headerSecret.map(secretHeader)];
}

function plainHeader(text: string): HeaderBody {
  const [, name = '', value = ''] = /^([^:\s]+):[ \t]*(.*)$/s.exec(text) ?? [];
  if (name === '') throw usageFailure('--header takes a name and a value.', 'Write it as --header "X-Tenant: acme".');
  if (!isCredential(name)) return { name, value: value.trimEnd() };
  const remedy = `Replace what was typed here. Then: \`fairlead monitors set-secret <name> --host <host>\`, and --header-secret ${name}=<name>`;
  throw usageFailure(`${name} is a credential: its value is set as a secret.`, remedy);
}

function secretHeader(text: string): HeaderBody {
  const [, name = '', secret = ''] = /^([^=\s]+)=([a-z0-9-]+)$/.exec(text) ?? [];
  if (name !== '') return { name, secret };
  const remedy =
    'Write it as --header-secret Authorization=payments-token. `fairlead monitors secrets` lists the names.';
  throw usageFailure('--header-secret takes the name of a header and that of a secret.', remedy);
}

const sentHeaders = z.looseObject({
  headers: z.array(z.looseObject({ name: z.string(), value: z.string().optional(), secret: z.string().optional() })),
});

/** Names of the secrets that a check sends. */
export function secretsIn(check: unknown): readonly string[] {
  return (sentHeaders.safeParse(check).data?.headers ?? []).flatMap(({ secret }) => secret ?? []);
}

/** What a check sends, in one line; null for one that sends nothing of its own. */
export function headersText(check: unknown): string | null {
  const { data } = sentHeaders.safeParse(check);
  if (data === undefined || data.headers.length === 0) return null;
  return data.headers.map(({ name, value, secret }) => `${name}: ${value ?? `(secret ${secret ?? ''})`}`).join(', ');
}
