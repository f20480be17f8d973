import { z } from 'zod';
import { SEARCH_TYPES } from '../../domain/search-pulls/dimensions.ts';
import { commaList, positiveCount, text } from './variable-kinds.ts';

/** What pulls of search numbers read. */
export const searchPullsWorkerSection = {
  /** The path of the key file of a Google service account: a reference, whose file is read on use. */
  GOOGLE_APPLICATION_CREDENTIALS: text.optional(),
  /** Types of search that are pulled; each costs as many calls as the first. */
  SEARCH_PULL_TYPES: commaList.pipe(z.array(z.enum(SEARCH_TYPES)).min(1)).default(['web']),
  /** Properties that are pulled at once. */
  SEARCH_PULL_PARALLELISM: positiveCount.max(16).default(4),
};
