import type { AdapterAvailabilityStatus } from "../adapters/types.js";

/** `invalid`: a record of the user's own that cannot be used. */
export type BackendStatus = AdapterAvailabilityStatus | "invalid";

/** What is known about one backend, as `jlgcli backends --json` prints it. What is not known is null. */
export interface BackendReport {
  readonly id: string;
  readonly displayName: string | null;
  /** `simulated`: plays recordings and asks no model. */
  readonly kind: "real" | "simulated" | null;
  readonly origin: "built-in" | "user";
  /** Where a record of the user's own stands. */
  readonly source: string | null;
  readonly status: BackendStatus;
  /** A sentence about the status. */
  readonly details: string | null;
  /** A command that changes the status for the better. */
  readonly nextStep: string | null;
  /** The path of the program that would be started. */
  readonly program: string | null;
  readonly version: string | null;
  /** False for a version outside of the range that this jlgcli was tested with. */
  readonly versionTested: boolean | null;
  /** True for the backend of a run that names none. */
  readonly isDefault: boolean;
  readonly homepage: string | null;
  readonly warnings: readonly string[];
}

/** What a record and the machine tell about a backend, without what the configuration does. */
export type BackendFacts = Omit<BackendReport, "origin" | "source" | "isDefault">;
