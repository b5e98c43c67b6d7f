import { Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ControlController } from './control/control.controller.ts';
import { OwnHost } from './control/own-host.ts';
import { ControlBodyMiddleware } from './control/problem.ts';
import { FaultRules } from './faults/fault-rules.ts';
import { ErrorFilter } from './http/json-api-adapter.ts';
import { Overview } from './pages/overview.ts';
import { PagesController } from './pages/pages.controller.ts';
import { Players } from './players/players.ts';
import { seededRandom } from './random.ts';
import { ReportsController } from './reports/reports.controller.ts';
import { Reports } from './reports/reports.ts';
import { Sessions } from './sessions/sessions.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { Settings } from './settings/settings.ts';
import { TrafficLog } from './traffic/traffic-log.ts';
import { TrafficMiddleware } from './traffic/traffic.middleware.ts';

/** Controllers that serve requests for any host name: the platform, and the pages of its players. */
const PUBLIC = ['api/*path', 'apiweb/*path', 'lobby', 'table/*path'];

/** Composition root: the only file that imports every part of the sandbox. */
@Module({})
export class AppModule implements NestModule {
  static for(settings: Settings): DynamicModule {
    const random = seededRandom(settings.reports.seed);
    return {
      module: AppModule,
      controllers: [SessionsController, ReportsController, PagesController, ControlController],
      providers: [
        { provide: Settings, useValue: settings },
        { provide: Players, useValue: new Players(settings.nicknameMaxLength) },
        { provide: Sessions, useValue: new Sessions(settings, Date.now) },
        { provide: FaultRules, useValue: new FaultRules(settings.latency, random) },
        { provide: APP_FILTER, useClass: ErrorFilter },
        Overview,
        Reports,
        TrafficLog,
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(OwnHost)
      .exclude(...PUBLIC)
      .forRoutes('{*path}');
    consumer.apply(ControlBodyMiddleware).forRoutes('sandbox/*path');
    consumer.apply(TrafficMiddleware).forRoutes('{*path}');
  }
}
