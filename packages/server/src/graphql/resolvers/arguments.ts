// The arguments that fields of several nouns take.

export interface ById {
  readonly id: string;
}

export interface Input<Body> {
  readonly input: Body;
}

export interface Change<Body> extends ById, Input<Body> {}
