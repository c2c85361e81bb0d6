import { runAll } from '../suite/run.ts';

export default {
  /** Runs the suite in the world that a POST describes. */
  async fetch(request: Request): Promise<Response> {
    return Response.json(await runAll(await request.json()));
  },
};
