import type { DnsAnswer } from '../properties/dns-look.ts';
import { isSame } from './conflicts.ts';
import type { AddressRecord } from './mode.ts';

/** What one DNS server answered about where a name leads. */
export interface AddressAnswer {
  /** Name or address of the server. */
  readonly server: string;
  /** All A, AAAA and CNAME records at the name itself; null where it did not answer: then `problem` says why. */
  readonly records: readonly AddressRecord[] | null;
  readonly problem: string | null;
}

/** One look at a name: by the servers of its zone, and by public resolvers. */
export interface AddressLook {
  readonly authoritative: readonly AddressAnswer[];
  /** Empty where the servers of the zone do not show what is looked for: a resolver remembers that there was nothing. */
  readonly resolvers: readonly AddressAnswer[];
}

/**
 * What is known of a condition. `unknown`: nobody answered, or not enough did to say that something was lost; what held
 * before holds still.
 */
export type Fact = 'holds' | 'missing' | 'unknown';

interface Answered<A> {
  readonly authoritative: readonly A[];
  readonly resolvers: readonly A[];
}

/** So many servers have to say that a record is gone. */
export const WITNESSES = 2;

/** Whether each address record of a name leads to the target, and nothing leads elsewhere. */
export function leadsTo({ records }: AddressAnswer, wanted: AddressRecord): boolean {
  if (records === null || records.length === 0) return false;
  return records.every((one) => isSame(one, wanted));
}

/**
 * Where a name leads by what was answered, `here` also where it leads elsewhere besides; null where too few answered. That it leads elsewhere is known of {@link WITNESSES}
 * alone: a record that shows later then answers an add, and one server may have an old zone, or none.
 */
export function leadOf({ authoritative, resolvers }: AddressLook, wanted: AddressRecord): 'here' | 'elsewhere' | null {
  const answered = [...authoritative, ...resolvers].filter(({ records }) => records !== null);
  if (answered.some(({ records }) => records?.some((one) => isSame(one, wanted)))) return 'here';
  return answered.length >= WITNESSES ? 'elsewhere' : null;
}

export function judgeAddresses(look: AddressLook, wanted: AddressRecord): Fact {
  return judge(
    look,
    ({ records }) => records !== null,
    (answer) => leadsTo(answer, wanted),
  );
}

/** Of the proof of ownership, at `_fairlead.<name>`. */
export function judgeTexts(look: Answered<DnsAnswer>, text: string): Fact {
  return judge(
    look,
    ({ texts }) => texts !== null,
    ({ texts }) => texts?.includes(text) ?? false,
  );
}

/**
 * Every server of the zone that answers has to show it, and one public resolver; either kind alone where the other does
 * not answer, since a network may let one kind of question through. It is missing once two servers say so.
 */
function judge<A>(
  { authoritative, resolvers }: Answered<A>,
  hasAnswered: (answer: A) => boolean,
  shows: (answer: A) => boolean,
): Fact {
  const zone = authoritative.filter(hasAnswered);
  const resolved = resolvers.filter(hasAnswered);
  const all = [...zone, ...resolved];
  if (all.length === 0) return 'unknown';
  const isShown =
    zone.length === 0 ? resolved.some(shows) : zone.every(shows) && (resolved.length === 0 || resolved.some(shows));
  if (isShown) return 'holds';
  return all.filter((answer) => !shows(answer)).length >= WITNESSES ? 'missing' : 'unknown';
}

const MOST_SHOWN = 6;
const LONGEST_SHOWN = 80;

/** What each server said, for people. */
export function describeAddresses(domain: string, { authoritative, resolvers }: AddressLook): string {
  const answers = [...authoritative, ...resolvers];
  if (answers.length === 0) return `no DNS server of ${domain} is known: is it registered and delegated?`;
  return answers.slice(0, MOST_SHOWN).map(describe).join('; ');
}

function describe({ server, records, problem }: AddressAnswer): string {
  if (records === null) return `${server} did not answer (${problem})`;
  if (records.length === 0) return `${server} has no address record`;
  const shown = records.slice(0, MOST_SHOWN).map(({ type, content }) => `${type} ${content.slice(0, LONGEST_SHOWN)}`);
  return `${server} has ${shown.join(', ')}`;
}
