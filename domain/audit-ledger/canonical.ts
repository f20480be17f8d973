import canonicalize from 'canonicalize';
import { FairleadError } from '../errors.ts';

/** Bytes of a payload in canonical JSON. */
export const MAX_PAYLOAD_BYTES = 64 * 1024;
/** Objects and arrays within each other. */
export const MAX_PAYLOAD_DEPTH = 32;

/** What an event says: any JSON objects. */
export interface EventContent {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Writes `{ data, metadata }` as canonical JSON (RFC 8785): the same content gives the same bytes, whoever writes it and in
 * whichever order. What JSON readers disagree about is refused rather than changed, as a proof of something else than was
 * meant is worse than none. @throws EVENT_INVALID, EVENT_TOO_LARGE
 */
export function canonicalPayload({ data, metadata }: EventContent): string {
  assertPortable({ data, metadata });
  const text = canonicalize({ data, metadata });
  if (text === undefined) throw new FairleadError('EVENT_INVALID', 'data and metadata must be JSON objects');
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAYLOAD_BYTES) {
    throw new FairleadError(
      'EVENT_TOO_LARGE',
      `data and metadata take ${bytes} bytes as canonical JSON and may take ${MAX_PAYLOAD_BYTES}: ` +
        'store the rest elsewhere and send its SHA-256',
      { details: { bytes, maxBytes: MAX_PAYLOAD_BYTES } },
    );
  }
  return text;
}

/** Reads a stored payload back. @throws SyntaxError for a payload that is no JSON */
export function readPayload(payload: string): EventContent {
  return JSON.parse(payload) as EventContent;
}

interface Place {
  readonly value: unknown;
  readonly depth: number;
  readonly path: string;
}

/** Walks without recursion: a deep value must not exhaust the stack. */
function assertPortable(content: EventContent): void {
  const rest: Place[] = [{ value: content, depth: 0, path: '' }];
  for (let place = rest.pop(); place !== undefined; place = rest.pop()) {
    if (typeof place.value !== 'object' || place.value === null) assertPortableScalar(place.value, place.path);
    else rest.push(...placesIn(place.value, place));
  }
}

function placesIn(container: object, { depth, path }: Place): Place[] {
  if (depth > MAX_PAYLOAD_DEPTH) refuse(path, `is nested deeper than ${MAX_PAYLOAD_DEPTH} levels`);
  return Object.entries(container).map(([key, value]) => {
    if (!key.isWellFormed()) refuse(path, 'has a key that is not well-formed Unicode');
    return { value, depth: depth + 1, path: path === '' ? key : `${path}.${key}`.slice(0, 200) };
  });
}

function assertPortableScalar(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) refuse(path, 'is not well-formed Unicode: it holds half of a surrogate pair');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(path, 'is not a valid JSON number');
    // A reader of the request has already rounded it: what would be kept is not what was sent (RFC 7493, 2.2).
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      refuse(path, 'is an integer beyond 2^53, which JSON readers round: send it as a string');
    }
  } else if (typeof value !== 'boolean' && value !== null) refuse(path, 'is not a JSON value');
}

function refuse(field: string, problem: string): never {
  throw new FairleadError('EVENT_INVALID', `${field} ${problem}`, { details: [{ field, message: problem }] });
}
