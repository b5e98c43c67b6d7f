import { Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Archive } from './archive/archive.ts';
import { Clients } from './clients/clients.ts';
import { ControlBodyMiddleware } from './control/control-body.middleware.ts';
import { FaultsController } from './control/faults.controller.ts';
import { HealthController } from './control/health.controller.ts';
import { LatencyController } from './control/latency.controller.ts';
import { OwnHost } from './control/own-host.ts';
import { PlayersController } from './control/players.controller.ts';
import { ResetController } from './control/reset.controller.ts';
import { TrafficController } from './control/traffic.controller.ts';
import { Currencies } from './currencies/currencies.ts';
import { FaultRules } from './faults/fault-rules.ts';
import { Latency } from './faults/latency.ts';
import { seededRandom } from './faults/seeded-random.ts';
import { GamesController } from './games/games.controller.ts';
import { ErrorFilter } from './http/error-filter.ts';
import { LobbyController } from './lobby/lobby.controller.ts';
import { Overview } from './overview/overview.ts';
import { OverviewController } from './overview/overview.controller.ts';
import { Players } from './players/players.ts';
import { Accounts } from './reports/accounts.ts';
import { AdHocReport } from './reports/ad-hoc-report.ts';
import { RakeReport } from './reports/rake-report.ts';
import { ReportsController } from './reports/reports.controller.ts';
import { PublicAddress } from './sessions/public-address.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { Sessions } from './sessions/sessions.ts';
import { Settings } from './settings.ts';
import { TrafficLog } from './traffic/traffic-log.ts';
import { TrafficMiddleware } from './traffic/traffic.middleware.ts';

/** Composition root: the one file that knows every part of the sandbox. */
@Module({})
export class AppModule implements NestModule {
  static for(settings: Settings, archive: Archive): DynamicModule {
    const random = seededRandom(settings.reports.seed);
    return {
      module: AppModule,
      controllers: [
        SessionsController,
        GamesController,
        ReportsController,
        LobbyController,
        OverviewController,
        HealthController,
        PlayersController,
        LatencyController,
        FaultsController,
        TrafficController,
        ResetController,
      ],
      providers: [
        { provide: Settings, useValue: settings },
        { provide: Archive, useValue: archive },
        { provide: Clients, useValue: new Clients(settings.clients) },
        { provide: Currencies, useValue: new Currencies(settings.currencies) },
        { provide: Players, useValue: new Players(settings.nicknameMaxLength, archive) },
        { provide: Sessions, useValue: new Sessions(settings, Date.now, archive) },
        { provide: FaultRules, useValue: new FaultRules(random) },
        { provide: Latency, useValue: new Latency(settings.latency, random) },
        { provide: APP_FILTER, useClass: ErrorFilter },
        Accounts,
        AdHocReport,
        Overview,
        RakeReport,
        PublicAddress,
        TrafficLog,
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(OwnHost, ControlBodyMiddleware).forRoutes('sandbox/*path');
    consumer.apply(TrafficMiddleware).forRoutes('{*path}');
  }
}
