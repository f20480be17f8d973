import { z } from 'zod';
import { entry, flag } from './schema-kinds.ts';

/** The sections of the catalog file that say what follows the install of a release. */

const SEO_WORDS = 'text of 1 to 200 characters';
const seoWords = z
  .string({ error: SEO_WORDS })
  .regex(/^[^\p{Cc}]{1,200}$/u, { error: SEO_WORDS })
  .nullish()
  .transform((value) => value ?? null);

/** `pages` is a key of the contract whose shape is not given; it is dropped, as unknown keys are. */
export const seo = entry(
  {
    enabled: flag.describe('True when the site registry is to be told of deploys'),
    entity: seoWords.describe('What the site is about, such as the name of a company'),
    topic: seoWords.describe('The subject of its pages'),
  },
  '{ enabled, entity, topic }',
);
