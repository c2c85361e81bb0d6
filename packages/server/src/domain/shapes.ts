import type { components } from '../generated/openapi.ts';

/** A shape of the contract by its name. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];

export type Scope = Shape<'Scope'>;
export type EventType = Shape<'EventType'>;
export type Tier = Shape<'Tier'>;
/** The event of one type, as it is delivered. */
export type EventOf<Type extends EventType> = Extract<Shape<'Event'>, { type: Type }>;

/** A moment as the contract writes it: ISO 8601, UTC, milliseconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The same for a moment that may not be. */
export function optionalTimestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}
