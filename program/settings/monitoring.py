"""Settings of the control plane's logs."""

from components.arguments.choices import LogCategory
from components.arguments.declaration import arguments_of
from components.monitoring.monitoring_args import MonitoringArgs
from program.settings._model import setting_of, settings_of


class Monitoring(settings_of(MonitoringArgs)):
    """The logs of the control plane, and the workspace that keeps them."""

    logs: tuple[LogCategory, ...] = setting_of(arguments_of(MonitoringArgs)["logs"], default=())
    """Logs of the control plane to collect; Azure charges by their size. Empty means none."""
