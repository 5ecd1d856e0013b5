FROM python:3.11-slim
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 AEM_DATA_DIR=/data
RUN useradd --create-home --uid 10001 aem && install -d -o aem -g aem -m 0700 /data
WORKDIR /app
# Further files to install from, such as requirements-llm.txt; docs/deployment.md says which there are.
ARG EXTRAS=""
COPY requirements*.txt ./
RUN for file in requirements.txt $EXTRAS; do pip install -r "$file" || exit 1; done
COPY . .
USER aem
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "aem_site.wsgi:application", "--bind", "0.0.0.0:8000", "--workers", "2", \
     "--threads", "2", "--keep-alive", "0", "--timeout", "60", "--no-control-socket"]
