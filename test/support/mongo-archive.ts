import { BSON } from 'mongodb';

/** A collection of an archive that somebody made by hand. */
export interface ArchivedCollection {
  readonly db: string;
  readonly collection: string;
  readonly documents?: readonly object[];
  readonly indexes?: readonly object[];
  readonly options?: object;
  readonly type?: string;
  /** False: it was dropped before the program could ask for its options and indexes. */
  readonly isDescribed?: boolean;
  /** False: the metadata at the begin of the archive does not name it. */
  readonly isAnnounced?: boolean;
}

const TERMINATOR = Buffer.alloc(4, 0xff);
const MAGIC = Buffer.from([0x6d, 0xe2, 0x99, 0x81]);

/** An archive as `mongodump --archive` writes it, with whatever a thief would put into it. */
export function mongoArchive(collections: readonly ArchivedCollection[]): Buffer {
  const prelude = collections
    .filter(({ isAnnounced = true }) => isAnnounced)
    .map(({ db, collection, indexes = [], options = {}, type = 'collection', isDescribed = true }) => {
      const metadata = isDescribed ? JSON.stringify({ options, indexes, type }) : '';
      return BSON.serialize({ db, collection, metadata, size: 0, type });
    });
  const head = { concurrent_collections: 4, version: '0.1', server_version: '7.0.0', tool_version: '100.10.0' };
  const blocks = collections.flatMap(({ db, collection, documents = [] }) => {
    const bodies = documents.map((document) => Buffer.from(BSON.serialize(document)));
    const header = (EOF: boolean, sum: bigint) =>
      BSON.serialize({ db, collection, EOF, CRC: BSON.Long.fromBigInt(sum) });
    const body = [header(false, 0n), ...bodies, TERMINATOR];
    return [...(bodies.length === 0 ? [] : body), header(true, crc64(Buffer.concat(bodies))), TERMINATOR];
  });
  return Buffer.concat([MAGIC, BSON.serialize(head), ...prelude, TERMINATOR, ...blocks]);
}

/** CRC-64/XZ, by which the tools check the documents of a collection. */
function crc64(bytes: Uint8Array): bigint {
  const POLYNOMIAL = 0xc96c5795d7870f42n;
  let sum = 0xffff_ffff_ffff_ffffn;
  for (const byte of bytes) {
    sum ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 1n) === 1n ? (sum >> 1n) ^ POLYNOMIAL : sum >> 1n;
  }
  return BigInt.asIntN(64, sum ^ 0xffff_ffff_ffff_ffffn);
}
