import { z } from 'zod';
import { catalogRecordSchema } from '../../catalog/catalog-record-schema.ts';
import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const catalog = step({
  key: 'catalog',
  title: 'Parse catalog',
  stage: 'cloning',
  when: always,
  needs: ['workDir'],
  gives: {
    catalog: catalogRecordSchema,
    /** Effective app path inside the source, relative; `''` is the root. */
    appPath: z.string(),
    /** Build context inside the source, relative. */
    contextPath: z.string(),
    /** Hand-written container file inside the source, relative, when one is to be used. */
    dockerfile: z.string().nullable(),
  },
  activity: 'readCatalog',
  local: true,
  attemptSeconds: 30,
  deadlineSeconds: 60,
  remadeUntil: 'image-push',
});
