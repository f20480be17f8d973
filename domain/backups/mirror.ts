/** An archive as a listing of a bucket has it. */
export interface ListedArchive {
  readonly key: string;
  readonly bytes: number;
}

export interface MirrorPlan {
  readonly copy: readonly ListedArchive[];
  readonly remove: readonly string[];
  /** Why nothing is removed, and what is copied is all that can be trusted; null as a rule. */
  readonly refused: string | null;
}

/**
 * What has to be done so that the off-site bucket has what the bucket has (spec 2, "Database backups", 6; with remove, so
 * that it tracks pruning). It never acts on a bucket that was emptied, or on half of a listing: then it removes nothing.
 * It removes only archives whose record says that they are gone: what no record knows stays, such as everything after the
 * platform was lost with its records. It replaces nothing by an archive of another size than its record says.
 *
 * @param source all archives of the bucket
 * @param mirror all archives of the off-site bucket
 * @param recorded what the records say that the bucket has: bytes by key
 * @param ended keys of backups that have no archive any more, or never had one, by their records
 */
export function planMirror(
  source: readonly ListedArchive[],
  mirror: readonly ListedArchive[],
  recorded: ReadonlyMap<string, number>,
  ended: ReadonlySet<string>,
): MirrorPlan {
  const inSource = new Map(source.map(({ key, bytes }) => [key, bytes]));
  const inMirror = new Map(mirror.map(({ key, bytes }) => [key, bytes]));
  const lost = [...recorded].flatMap(([key, bytes]) => (inSource.get(key) === bytes ? [] : [key]));
  const isLost = new Set(lost);
  const refused = whyRefused(source.length, mirror.length, lost);
  const isMissing = ({ key, bytes }: ListedArchive): boolean =>
    !inMirror.has(key) || (inMirror.get(key) !== bytes && recorded.get(key) === bytes);
  const isGone = ({ key }: ListedArchive): boolean => !inSource.has(key) && !recorded.has(key) && ended.has(key);
  return {
    copy: source.filter((archive) => isMissing(archive) && !isLost.has(archive.key)),
    remove: refused === null ? mirror.filter(isGone).map(({ key }) => key) : [],
    refused,
  };
}

function whyRefused(sourceCount: number, mirrorCount: number, lost: readonly string[]): string | null {
  const remedy =
    'The mirror keeps all that it has. See docs/backups.md, "The off-site copy of the backups is not up to date"';
  if (sourceCount === 0 && mirrorCount > 0) {
    return `The bucket is empty, and the mirror has ${mirrorCount} archives. ${remedy}`;
  }
  if (lost.length === 0) return null;
  return `The bucket lacks ${lost.length} archives that are recorded, such as ${lost[0]}. ${remedy}`;
}
