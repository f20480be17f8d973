/** What one prober saw since its control targets answered last. */
export interface ProberView {
  /**
   * Orgs of which monitors were checked since, and how many have over half of them failing. Each counts once: whoever adds
   * hundreds of monitors that fail makes no outage of others unknown.
   */
  readonly checked: number;
  readonly failed: number;
  /** Control targets there are, and how many of them answered when they were asked last. */
  readonly controls: number;
  readonly controlsAnswering: number;
}

/**
 * Whether failures are the prober's own: over half of the orgs fail, and no control target answers. While a control
 * answers, the outage is real. A prober without control targets never takes the fault.
 */
export function isOwnFault({ checked, failed, controls, controlsAnswering }: ProberView): boolean {
  return controls > 0 && controlsAnswering === 0 && checked > 0 && failed * 2 > checked;
}
