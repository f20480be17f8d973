import type { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import type { BuildKind } from './build-kind.ts';
import type { RuntimeName } from './runtime-capabilities.ts';
import type { BuildStage } from './status.ts';
import type { FailOpen, StepRun } from './step-run.ts';

/** What this installation provides, as far as plans depend on it. */
export interface Installation {
  readonly runtime: RuntimeName;
  /** Whether it knows a wallet (WALLET_URL). */
  readonly wallet: boolean;
  /** Whether it knows a service registry (REGISTRY_URL). */
  readonly registry: boolean;
  /** Whether it knows an uptime monitor (MONITOR_URL). */
  readonly monitor: boolean;
  /** Whether a site registry is told of deploys (SITE_REGISTRY_URL, SITE_REGISTRY_HOOKS). */
  readonly siteRegistry: boolean;
  /** Whether it knows a test runner (TEST_RUNNER_URL). */
  readonly testRunner: boolean;
  /** Whether it manages the records of its own domain. */
  readonly dns: boolean;
}

/** What decides which steps of a build run. */
export interface PlanContext {
  readonly kind: BuildKind;
  /** For a retry: the first step to run again; null otherwise. */
  readonly fromStep: string | null;
  /**
   * For a retry: keys of the steps that the retried build has behind it. What an older version did not do yet is not
   * among them, and is done now. Null: all before `fromStep`, where the record of that build is gone.
   */
  readonly done: readonly string[] | null;
  /** Null before the source is fetched: then a step is planned as if nothing were declared. */
  readonly catalog: Catalog | null;
  /** What is known so far, by name of the fact. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly installation: Installation;
}

/** `declared`: the catalog asks for the step's work, and this installation does not provide it yet. */
export type Decision = 'run' | { readonly skip: string; readonly declared: boolean };

/** Facts by name, each with its shape. */
export type FactShapes = Readonly<Record<string, z.ZodType>>;

type NoFacts = Readonly<Record<never, z.ZodType>>;

/**
 * All that is known about one step of the deploy pipeline. Its file is `steps/<key>.ts`, its place in the order a row in
 * `steps.ts`, and its work, if it has any, `activities/deploys/steps/<verb-noun>.ts`.
 */
export interface StepDefinition<K extends string = string, G extends FactShapes = FactShapes> {
  readonly key: K;
  readonly title: string;
  readonly stage: BuildStage;
  readonly when: (context: PlanContext) => Decision;
  /** Facts that earlier steps must have found. */
  readonly needs: readonly string[];
  /** Facts that this step finds, each with its shape. */
  readonly gives: G;
  /** Null while this version has no work for the step: then `when` always skips it. */
  readonly run: StepRun | null;
  readonly failOpen: readonly FailOpen[];
  /**
   * Key of a later step. The result of this step does not outlive its build: a retry from that step, or from an
   * earlier one, makes the result again. Null: a retry from any later step reuses the result.
   */
  readonly remadeUntil: string | null;
  /** Runs in a rollback as well, although it stands before the install: it sets what is not part of a release. */
  readonly ofRollback: boolean;
}

type Given<K extends string, A extends string | null, G extends FactShapes> = Pick<
  StepDefinition<K, G>,
  'key' | 'title' | 'stage' | 'when'
> &
  Partial<Pick<StepDefinition<K, G>, 'needs' | 'gives' | 'failOpen' | 'remadeUntil' | 'ofRollback'>> & {
    readonly activity: A;
  } & (A extends string
    ? Pick<StepRun, 'attemptSeconds' | 'deadlineSeconds'> &
        Partial<Pick<StepRun, 'local' | 'undo' | 'wait' | 'noResult' | 'cancellable' | 'supersedable'>>
    : unknown);

/** A step that this version carries out. */
export function step<const K extends string, const A extends string, const G extends FactShapes = NoFacts>(
  given: Given<K, A, G>,
): StepDefinition<K, G> & { readonly run: StepRun & { readonly activity: A } } {
  const {
    key,
    title,
    stage,
    when,
    needs = [],
    gives = {} as G,
    failOpen = [],
    remadeUntil = null,
    ofRollback = false,
  } = given;
  const { activity, attemptSeconds, deadlineSeconds } = given;
  const { local = false, undo = null, cancellable = true, supersedable = true } = given;
  const wait = given.wait === undefined ? {} : { wait: given.wait };
  const noResult = given.noResult === undefined ? {} : { noResult: given.noResult };
  const limits = { attemptSeconds, deadlineSeconds };
  const run = { activity, local, ...limits, failOpen, undo, ...wait, ...noResult, cancellable, supersedable };
  return { key, title, stage, when, needs, gives, failOpen, remadeUntil, ofRollback, run };
}

/** A step of the contract that this version has no work for yet; `when` says why it is skipped. */
export function futureStep<const K extends string>(
  given: Pick<StepDefinition<K>, 'key' | 'title' | 'stage'> & {
    readonly when: (context: PlanContext) => Exclude<Decision, 'run'>;
    readonly failOpen?: readonly FailOpen[];
  },
): StepDefinition<K, NoFacts> & { readonly run: null } {
  return { needs: [], gives: {}, failOpen: [], remadeUntil: null, ofRollback: false, run: null, ...given };
}
