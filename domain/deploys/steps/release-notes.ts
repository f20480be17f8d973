import { z } from 'zod';
import { withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Reads from the source, and from the log of its repository, what the registry is told at the end, when the source may be gone. */
export const releaseNotes = step({
  key: 'release-notes',
  title: 'Read release notes',
  stage: 'building',
  when: withRegistry,
  needs: ['appPath'],
  gives: {
    /** Null where nothing says what is new. */
    releaseNotes: z.object({ notes: z.string(), version: z.string().nullable() }).nullable(),
    /** Versions of packages of the SDK, by package. */
    sdkVersions: z.record(z.string(), z.string()),
  },
  activity: 'readReleaseNotes',
  attemptSeconds: 60,
  deadlineSeconds: 120,
});
