// Events as VS Code has them.
class EventEmitter {
  listeners = [];
  event = (listener) => {
    this.listeners.push(listener);
    return { dispose: () => (this.listeners = this.listeners.filter((each) => each !== listener)) };
  };
  fire(value) {
    for (const each of this.listeners) each(value);
  }
  dispose() {
    this.listeners = [];
  }
}

module.exports = { EventEmitter, disposable: { dispose() {} } };
