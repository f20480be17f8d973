import type { Environment } from './environment.ts';

/** Prefixes of every identifier the platform makes; an id is the prefix and 20 characters of lower-case base 32. */
export const ID_PREFIXES = {
  build: 'bld',
  release: 'rel',
  service: 'svc',
  archive: 'arc',
  request: 'req',
  user: 'usr',
  invite: 'inv',
  session: 'ses',
  grant: 'grt',
  scopeGrant: 'sgr',
  token: 'tok',
  clientSecret: 'sec',
  signingKey: 'key',
  event: 'evt',
  mail: 'eml',
  batch: 'bat',
  variableChange: 'chg',
  sharingChange: 'soc',
  walletEntry: 'wle',
  lockerItem: 'itm',
  gitIdentity: 'gid',
  gitConnection: 'gcn',
  gitSecret: 'ghs',
  gitDelivery: 'gdl',
  backup: 'bak',
  restore: 'rst',
  platformBackup: 'pbk',
  property: 'prp',
  job: 'job',
  searchPull: 'spr',
  searchRows: 'srw',
  domain: 'dom',
  monitor: 'mon',
  maintenance: 'mnt',
  incident: 'inc',
  channel: 'chn',
  subscriber: 'sub',
  subscribeRequest: 'sbr',
  error: 'err',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Makes a new id of a kind. A port, because randomness is an effect. */
export type NewId = (kind: IdKind) => string;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Writes random bytes (20 or more) as an id of that kind: `bld_…`. */
export function formatId(kind: IdKind, bytes: Uint8Array): string {
  let id = `${ID_PREFIXES[kind]}_`;
  for (const byte of bytes.subarray(0, 20)) id += ALPHABET[byte % ALPHABET.length];
  return id;
}

/** The key under which everything of one service in one environment is found. */
export function targetKey(service: string, environment: Environment): string {
  return `${service}/${environment}`;
}
