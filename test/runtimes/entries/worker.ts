import { runAll } from '../suite/run.ts';
import { takeStep } from '../suite/worker-client.ts';

export default {
  /** Runs the suite in the environment of the body; under `/steps`, takes a step with the global client. */
  async fetch(request: Request): Promise<Response> {
    const work = request.url.endsWith('/steps') ? takeStep : runAll;
    return Response.json(await work(await request.json()));
  },
};
