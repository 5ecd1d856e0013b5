app_name = "annotations"
urlpatterns: list[object] = []
