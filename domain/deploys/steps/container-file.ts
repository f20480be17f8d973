import { z } from 'zod';
import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const containerFile = step({
  key: 'container-file',
  title: 'Decide container file',
  stage: 'building',
  when: always,
  needs: ['catalog', 'contextPath'],
  gives: {
    /** Container file to build with, inside the source, relative. */
    dockerfile: z.string().nullable(),
    /** Folder of the monorepo that the app is a package of, which is then the build context in the place of `contextPath`. */
    monorepoPath: z.string(),
    /** True when the container file was generated, so a read-only root file system is known to work. */
    generatedContainerFile: z.boolean(),
    /** The repository's own container file, in whose place one was generated; none where it has none. */
    unusedContainerFile: z.string(),
    /** Port the workload listens on. */
    port: z.int(),
    imageTag: z.string(),
    /** Id under which the container file mounts the build-time env file; none when no variable is for the build. */
    buildEnvId: z.string(),
    /** Build-time variables that the install mounts each by itself, such as the token of a package registry. */
    registryVariables: z.array(z.string()),
    /** Path in the image of the lockfile that the install writes; none where the source has one. */
    newLockfile: z.string(),
    /** The file of the source that tells which variables it takes, such as `.env.example`, and their names. */
    exampleVariables: z.object({ file: z.string(), names: z.array(z.string()) }),
  },
  activity: 'prepareContainerFile',
  local: true,
  attemptSeconds: 30,
  deadlineSeconds: 60,
  remadeUntil: 'image-push',
});
