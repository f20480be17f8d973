import type { Contender, CustomDomain } from './custom-domain.ts';

/** So many orgs that ask for one name are remembered: two are enough to ask all for a proof. */
const MOST_CONTENDERS = 8;
/** An org that asks again is noted again after so long. */
const NOTED_AGAIN_AFTER_MS = 86_400_000;

/** The record with one more org that asks for the name; the same one where that is known. */
export function contended(record: CustomDomain, { org, at }: Contender): CustomDomain {
  const known = record.contenders.find((one) => one.org === org);
  if (known !== undefined && at.getTime() - known.at.getTime() < NOTED_AGAIN_AFTER_MS) return record;
  const contenders = [{ org, at }, ...record.contenders.filter((one) => one.org !== org)].slice(0, MOST_CONTENDERS);
  return { ...record, contenders, revision: record.revision + 1 };
}
