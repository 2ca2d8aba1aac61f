import { findService } from '../find-service.ts';
import { tr } from '../language.ts';
import { ServiceClient } from '../service-client.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { runsInBackground, startService } from './start-service.ts';

/** The service of a home. If it is not running and there is a terminal, offers to start it. */
export async function serviceOrOffer(homeFlag: string | undefined): Promise<ServiceClient> {
  const { home, service } = await findService(homeFlag);
  if (service !== null || !canAsk()) return ServiceClient.find(homeFlag);
  const answer = await ask(
    tr(
      `Hob is not running (home: ${home}). Start it now? [Y/n] `,
      `Hob 没有运行（数据目录：${home}）。现在启动吗？[Y/n] `,
    ),
  );
  if (!/^(?:y|yes|是|)$/i.test(answer.trim())) return ServiceClient.find(homeFlag);
  const client = await startService(home);
  process.stderr.write(runsInBackground(client));
  return client;
}
