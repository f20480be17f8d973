import { commaList } from './variable-kinds.ts';

/** What a module reads that uses a part of the embedded stack which starts on first need. */
export const embeddedPartsSection = {
  /** Names of those parts, for `createEnsurePart`. The stack sets it; production has none. */
  PARTS_ON_NEED: commaList.default([]),
};
