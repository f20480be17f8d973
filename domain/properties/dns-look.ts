/** What one DNS server answered about the TXT records of a name. */
export interface DnsAnswer {
  /** Name or address. */
  readonly server: string;
  /** Null where it did not answer: then `problem` says why. */
  readonly texts: readonly string[] | null;
  readonly problem: string | null;
}

/** One look at the TXT records of a name. */
export interface DnsLook {
  /** By the servers of its zone; empty where these are not known. */
  readonly authoritative: readonly DnsAnswer[];
  /** By public resolvers; empty where the servers of the zone do not show what is looked for. */
  readonly resolvers: readonly DnsAnswer[];
}

/**
 * Whether everybody sees a text. Every server of the zone that answers has to show it, and one public resolver. Resolvers
 * alone count where no server of the zone answers, and those servers alone where no resolver does: a network may let one
 * kind of question through.
 */
export function isVisible({ authoritative, resolvers }: DnsLook, text: string): boolean {
  const shows = ({ texts }: DnsAnswer): boolean => texts?.includes(text) ?? false;
  const answered = authoritative.filter(({ texts }) => texts !== null);
  const resolved = resolvers.filter(({ texts }) => texts !== null);
  if (answered.length === 0) return resolved.some(shows);
  return answered.every(shows) && (resolved.length === 0 || resolved.some(shows));
}

/** Whether the servers of a zone show a text, so that resolvers are worth asking: a resolver remembers that there was none. */
export function isPublished(authoritative: readonly DnsAnswer[], text: string | null): boolean {
  const answered = authoritative.filter(({ texts }) => texts !== null);
  return answered.length === 0 || text === null || answered.every(({ texts }) => texts?.includes(text));
}

const MOST_SHOWN = 5;
const LONGEST_SHOWN = 120;

/** What was seen instead, for people. */
export function describeLook({ authoritative, resolvers }: DnsLook): string {
  const answers = [...authoritative, ...resolvers];
  if (answers.length === 0) return 'no DNS server of the domain is known';
  return answers.slice(0, MOST_SHOWN).map(describeAnswer).join('; ');
}

function describeAnswer({ server, texts, problem }: DnsAnswer): string {
  if (texts === null) return `${server} did not answer (${problem})`;
  if (texts.length === 0) return `${server} has no TXT record`;
  const shown = texts.slice(0, MOST_SHOWN).map((text) => JSON.stringify(text.slice(0, LONGEST_SHOWN)));
  const more = texts.length > MOST_SHOWN ? ` and ${texts.length - MOST_SHOWN} more` : '';
  return `${server} has ${shown.join(', ')}${more}`;
}
