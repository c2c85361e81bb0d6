/** The contract that the service speaks (OpenAPI 3.1). */
export interface OpenApiDocument {
  /** Version of the OpenAPI Specification, such as `3.1.1`. */
  openapi: string;
  /** Title, description and version of the interface. */
  info: { [name: string]: unknown };
  /** The operations by path and method. */
  paths: { [path: string]: unknown };
  [name: string]: unknown;
}
