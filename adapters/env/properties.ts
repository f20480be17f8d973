import { isIP } from 'node:net';
import { z } from 'zod';
import { stackId } from './stack-id.ts';
import { commaList, secret, text } from './variable-kinds.ts';

const email = z.email();
const RESOLVERS = ['1.1.1.1', '8.8.8.8', '9.9.9.9'];

/** An address, with a port if need be, as `192.0.2.1`, `192.0.2.1:53` or `[2001:db8::1]:53`. */
export function isDnsServer(server: string): boolean {
  const [, bracketed, plain = server] = /^(?:\[([^\]]+)\]|([\d.]+)):\d{1,5}$/.exec(server) ?? [];
  return isIP(bracketed ?? plain) !== 0;
}

/** What the worker of the site registry reads. Without these, what needs them says so. */
export const propertiesWorkerSection = {
  /** The path of the key file of a Google service account: a reference, whose file is read on use. */
  GOOGLE_APPLICATION_CREDENTIALS: text.optional(),
  /** Zones that it lists and edits are those whose domains the platform verifies by itself. */
  CLOUDFLARE_API_TOKEN: secret(text.optional()),
  /** In the comments of records, so that installations on one account leave each other's. */
  STACK_ID: stackId,
  /** Who becomes an owner of each verified domain at the search engine. */
  WEBMASTER_OWNER_EMAILS: commaList
    .refine((list) => list.every((one) => email.safeParse(one).success), 'a list of e-mail addresses')
    .default([]),
  /** The marketing domain map: the path of a file, or an address. */
  DOMAIN_MAP: text.optional(),
  /** Sent to the address of the map as a Bearer token. */
  DOMAIN_MAP_TOKEN: secret(text.optional()),
  /** Public resolvers that are asked whether a record shows. */
  DNS_RESOLVERS: commaList
    .refine((list) => list.length > 0 && list.every(isDnsServer), 'a list of addresses of DNS servers')
    .default(RESOLVERS),
};
