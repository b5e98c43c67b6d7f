import 'reflect-metadata';

export function pathOf(controller: new (...args: never[]) => object, method: string): string {
  const own: unknown = Reflect.getMetadata('path', controller.prototype[method as never]);
  return `/${[Reflect.getMetadata('path', controller), own].filter((part) => part !== '/').join('/')}`;
}
